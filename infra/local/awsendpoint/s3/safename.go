package s3

import "strings"

// safeName returns what a log may contain of an object's key: the first folder. The rest can be a
// name that somebody gave a file.
func safeName(key string) string {
	folder, _, found := strings.Cut(key, "/")
	if !found {
		return "…"
	}
	return folder + "/…"
}

// safePath does so with the path of a request, which begins with the bucket.
func safePath(path string) string {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + bucket + "/" + safeName(key)
}
