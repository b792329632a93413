package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// WarningSentences are warnings as sentences for people, in the same order: a warning is a code, or
// a code, a colon and details.
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
		return withPeriod(about + " " + withoutCode(details))
	}
	return withPeriod(capitalise(details))
}

// wholeSentences say all of warnings that have no details.
func wholeSentences() map[Code]string {
	return map[Code]string{
		FormatMismatch:      "The file is of another format than its name says. It was read as what it is.",
		HeaderChanged:       "The name of a column was too long, or empty, or had characters that cannot be kept. The column has another name here.",
		NoRows:              "The file has a header, and no row below it.",
		EncodingAssumed:     "The workbook does not say how its texts are encoded. They were read as Windows-1252.",
		NumberFormatUnknown: "A number format of the workbook cannot be read. Dates that have it were read as numbers.",
	}
}

// sentencePrefixes say what details are about, where these do not say it themselves.
func sentencePrefixes() map[Code]string {
	return map[Code]string{
		ColumnUnknown:        "The options say something of a column that the file does not have:",
		FooterLikely:         "The last rows may be no data:",
		SourceRefused:        "The file cannot be read as was said, and is read as before:",
		EncodingUnsure:       "How the texts are encoded is not certain:",
		DateOrderUncertain:   "How dates are read is not certain:",
		DecimalMarkUncertain: "How numbers are read is not certain:",
	}
}

// withoutCode is a text without the code that it begins with, if any.
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
