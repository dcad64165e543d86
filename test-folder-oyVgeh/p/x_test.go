// words
package /* here */ p_test

func a() {}
