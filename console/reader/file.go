//go:build js && wasm

package main

import (
	"fmt"
	"io"
	"syscall/js"
)

// ReadAt implements sheet.Source.
func (f file) ReadAt(p []byte, off int64) (n int, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("read the file: %v", thrown)
		}
	}()
	wanted := min(int64(len(p)), f.size-off)
	if wanted <= 0 {
		return 0, io.EOF
	}
	n = js.CopyBytesToGo(p[:wanted], f.read.Invoke(off, wanted))
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}
