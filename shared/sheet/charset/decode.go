package charset

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/transform"

	"github.com/loadbay/loadbay/shared/problem"
)

// NewReader reads src, which is in the encoding of that name, as UTF-8. Reading
// ends with ENCODING_INVALID at bytes that are no characters; those of UTF-8 are
// not looked at.
func NewReader(src io.Reader, name string) (io.Reader, error) {
	if name == "" || name == UTF8 {
		return src, nil
	}
	t := wideTransformer(name)
	if t == nil {
		known := findTable(name)
		if known == nil {
			return nil, fmt.Errorf("decode text in %q", name)
		}
		t = strictDecoder{known.encoding.NewDecoder().Transformer}
	}
	return &errorReader{transform.NewReader(src, t), name}, nil
}

// errorReader turns what a decoder refuses into an error of the file.
type errorReader struct {
	src  io.Reader
	name string
}

func (f *errorReader) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	if err == errInvalidText || err == transform.ErrShortSrc {
		err = problem.New(problem.EncodingInvalid,
			"The file is not sound %s text: it holds bytes that are no characters. Save it as \"CSV UTF-8\", or state its encoding.",
			strings.ToUpper(f.name))
	}
	return n, err
}
