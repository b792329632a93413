//go:build js && wasm

// Command reader is the spreadsheet reader for the browser: with it the console previews the
// beginning of a file before the upload. It is built for GOOS=js by `make console`, and runs in
// a worker.
//
// It sets one function, loadbayHead(name, size, read, type), which returns JSON:
// {"head": …} as defined by package preview, or {"fault": {"code", "message"}}. read(offset,
// length) returns a Uint8Array of the file, or throws; type is an ImportType of the API as JSON,
// "" for none. It throws if the file cannot be read or the reader itself fails.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/loadbay/loadbay/console/reader/preview"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

func main() {
	js.Global().Set("loadbayHead", js.FuncOf(look))
	select {} // keeps the function available
}

// answer is the result of the function.
type answer struct {
	Head  *preview.Result  `json:"head,omitempty"`
	Fault *preview.Problem `json:"fault,omitempty"`
	Broke string           `json:"broke,omitempty"` // an error other than those of the file
}

func look(_ js.Value, args []js.Value) any {
	text, err := json.Marshal(answerOf(args[0].String(), file{size: int64(args[1].Float()), read: args[2]}, args[3].String()))
	if err != nil {
		return fmt.Sprintf(`{"broke": %q}`, err)
	}
	return string(text)
}

func answerOf(name string, f file, kind string) answer {
	var of *preview.Type
	if kind != "" {
		of = &preview.Type{}
		if err := json.Unmarshal([]byte(kind), of); err != nil {
			return answer{Broke: err.Error()}
		}
	}
	h, err := preview.Read(context.Background(), f, name, of, sheet.DefaultLimits())
	var fault *problem.Error
	switch {
	case errors.As(err, &fault):
		return answer{Fault: preview.ProblemOf(fault)}
	case err != nil:
		return answer{Broke: err.Error()}
	}
	return answer{Head: h}
}

// file is a file of the browser.
type file struct {
	size int64
	read js.Value
}

// Size implements sheet.Source.
func (f file) Size() int64 { return f.size }
