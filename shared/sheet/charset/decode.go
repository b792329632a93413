package charset

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/transform"

	"github.com/loadbay/loadbay/shared/problem"
)

// NewReader returns a reader that decodes src from the encoding of that name into UTF-8. Reading
// ends with ENCODING_INVALID at bytes that are invalid in the encoding; UTF-8 is not validated.
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

// errorReader converts the errors of a decoder into errors of the file.
type errorReader struct {
	src  io.Reader
	name string
}

func (f *errorReader) Read(p []byte) (int, error) {
	n, err := f.src.Read(p)
	if err == errInvalidText || err == transform.ErrShortSrc {
		err = problem.New(problem.EncodingInvalid,
			"The file is not valid %s text. Save it as \"CSV UTF-8\", or set its encoding.",
			strings.ToUpper(f.name))
	}
	return n, err
}
