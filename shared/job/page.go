package job

// Page is a part of a list, which may also be a list of other things than jobs: the entries after
// the one with the keys After or, without keys, after the first Offset ones. Keys are what the list
// is sorted by; so an entry that is added or deleted before them moves no other one.
type Page struct {
	Offset, Limit int64
	After         []string
}
