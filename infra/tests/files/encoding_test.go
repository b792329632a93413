package files

import "golang.org/x/text/encoding"

// encodeText converts a text to another encoding, which must support all its characters.
func encodeText(in encoding.Encoding, text []byte) []byte {
	b, err := in.NewEncoder().Bytes(text)
	if err != nil {
		panic(err) // a mistake in the test data
	}
	return b
}
