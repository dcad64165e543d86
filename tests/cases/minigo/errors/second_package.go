package p
package q
