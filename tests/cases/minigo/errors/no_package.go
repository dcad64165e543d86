import "fmt"

func f() {
	fmt.Println()
}
