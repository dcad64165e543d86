package r
