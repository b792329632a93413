package job

// Headers of the columns that an error workbook adds before those of the file.
const (
	RowHeader   = "Loadbay row"     // number of the row in the imported file
	ErrorHeader = "Loadbay message" // errors of the row
)

// IsAnnotationHeader reports whether a header is one that error workbooks add.
func IsAnnotationHeader(header string) bool { return header == RowHeader || header == ErrorHeader }
