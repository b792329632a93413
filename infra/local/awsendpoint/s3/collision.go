package s3

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// parentRemoved reports whether creating an object failed because its folder was removed
// concurrently: keys are files here, and deleting the last object of a folder deletes the folder.
// A key that is itself a folder fails permanently. S3 has neither folders nor this error, so the
// client has to retry.
func (g *Gateway) parentRemoved(answer *http.Response) (bool, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(answer.Request.URL.Path, "/"), "/")
	if answer.StatusCode != http.StatusConflict || key == "" {
		return false, nil
	}
	const longest = 4 << 10
	text, err := io.ReadAll(io.LimitReader(answer.Body, longest))
	if err != nil {
		return false, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), answer.Body), answer.Body}
	if !bytes.Contains(text, []byte("<Code>ExistingObjectIsDirectory</Code>")) {
		return false, nil
	}
	folder, err := os.Stat(filepath.Join(g.config.Dir, objectsDir, bucket, filepath.FromSlash(key)))
	return err != nil || !folder.IsDir(), nil
}
