package job

// Headers of the columns that an error workbook has before those of the file.
const (
	RowHeader   = "Loadbay row"     // the row's number in the file that was imported
	ErrorHeader = "Loadbay message" // what is wrong with it
)

// IsAnnotationHeader reports whether a header is one of an error workbook's own.
func IsAnnotationHeader(header string) bool { return header == RowHeader || header == ErrorHeader }
