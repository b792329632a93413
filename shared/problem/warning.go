package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WarningSentences converts warnings into sentences for people, in the same order. A warning is
// a code, or a code, a colon and details.
func WarningSentences(warnings []string) []string {
	texts := make([]string, len(warnings))
	for i, w := range warnings {
		code, details, _ := strings.Cut(w, ":")
		texts[i] = sentence(Code(code), strings.TrimSpace(details))
	}
	return texts
}

func sentence(code Code, details string) string {
	whole, about := wholeSentences()[code], sentencePrefixes()[code]
	switch {
	case details == "" && whole != "":
		return whole
	case details == "":
		return withPeriod(capitalise(strings.ToLower(strings.ReplaceAll(string(code), "_", " "))))
	case about != "":
		return withPeriod(about + " " + optionWords().Replace(withoutCode(details)))
	}
	return withPeriod(capitalise(optionWords().Replace(details)))
}

// optionWords replaces the names of options, for programs, by words for people.
func optionWords() *strings.Replacer {
	return strings.NewReplacer("skipFooterRows ", "skip the last ", " skips them", " rows", " (sheetName)", "",
		"; set dateOrder", "; set the date order", "; set decimalMark", "; set the decimal mark")
}

// wholeSentences are the complete sentences of warnings without details.
func wholeSentences() map[Code]string {
	return map[Code]string{
		FormatMismatch:      "The format of the file does not match its name. It was read in its actual format.",
		HeaderChanged:       "A column name was empty, too long or contained unsupported characters. The column was renamed.",
		NoRows:              "The file has a header, but no rows.",
		EncodingAssumed:     "The workbook does not specify its text encoding. It was read as Windows-1252.",
		NumberFormatUnknown: "A number format is not supported. Dates with this format were read as numbers.",
	}
}

// sentencePrefixes introduce details that are not a sentence by themselves.
func sentencePrefixes() map[Code]string {
	return map[Code]string{
		ColumnUnknown:        "The options name a column that the file does not have:",
		RowsWider:            "The rows have more cells than the header:",
		RowsHidden:           "Hidden rows were read like all others:",
		ColumnsHidden:        "Hidden columns were read like all others:",
		CellsMerged:          "Ranges of merged cells have a value only in their first row:",
		FooterLikely:         "The last rows may not be data:",
		SourceRefused:        "The file cannot be read with these options; the previous options were used:",
		EncodingUnsure:       "The text encoding is uncertain:",
		DateOrderUncertain:   "The date format is uncertain:",
		DecimalMarkUncertain: "The number format is uncertain:",
	}
}

// withoutCode removes a leading code from the text, if any.
func withoutCode(text string) string {
	first, rest, more := strings.Cut(text, " ")
	if more && strings.Contains(first, "_") && first == strings.ToUpper(first) {
		return rest
	}
	return text
}

func capitalise(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func withPeriod(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
