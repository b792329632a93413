package files

import "golang.org/x/text/encoding"

// encodeText is a text in another encoding, which must have all its characters.
func encodeText(in encoding.Encoding, text []byte) []byte {
	b, err := in.NewEncoder().Bytes(text)
	if err != nil {
		panic(err) // a mistake in what is made up
	}
	return b
}
