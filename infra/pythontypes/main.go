// Command pythontypes writes the types of the Python client from the description of the API:
//
//	go run ./infra/pythontypes > client/python/src/loadbay/types.py
package main

import (
	"fmt"
	"os"
)

func main() {
	description, err := os.ReadFile("shared/httpapi/openapi.yaml")
	if err == nil {
		var text string
		if text, err = generate(description); err == nil {
			_, err = os.Stdout.WriteString(text)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
