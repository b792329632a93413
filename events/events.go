// Package events holds one sample event for each function, in the form in which AWS sends it:
// for trying a function on its own, by "sam local invoke" or behind the local Runtime API. The
// events name a job that does not exist.
package events

import (
	"embed"
	"fmt"
)

//go:embed *.json
var files embed.FS

// Sample returns the sample event of a function.
func Sample(function string) ([]byte, error) {
	content, err := files.ReadFile(function + ".json")
	if err != nil {
		return nil, fmt.Errorf("decode sample event of function %s: %w", function, err)
	}
	return content, nil
}
