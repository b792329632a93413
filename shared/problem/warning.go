package problem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences are warnings as sentences for people, in the same order: a warning is a code, or
// a code, a colon and details.
func Sentences(warnings []string) []string {
	texts := make([]string, len(warnings))
	for i, w := range warnings {
		code, details, _ := strings.Cut(w, ":")
		texts[i] = sentence(Code(code), strings.TrimSpace(details))
	}
	return texts
}

func sentence(code Code, details string) string {
	whole, about := wholeSentences()[code], beginnings()[code]
	switch {
	case details == "" && whole != "":
		return whole
	case details == "":
		return ended(capital(strings.ToLower(strings.ReplaceAll(string(code), "_", " "))))
	case about != "":
		return ended(about + " " + withoutCode(details))
	}
	return ended(capital(details))
}

// wholeSentences say all of warnings that have no details.
func wholeSentences() map[Code]string {
	return map[Code]string{
		WarnFormatMismatch:  "The file is of another format than its name says. It was read as what it is.",
		WarnHeaderChanged:   "The name of a column was too long, or empty, or had characters that cannot be kept. The column has another name here.",
		WarnNoRows:          "The file has a header, and no row below it.",
		WarnEncodingAssumed: "The workbook does not say how its texts are encoded. They were read as Windows-1252.",
		WarnFormatUnknown:   "A number format of the workbook cannot be read. Dates that have it were read as numbers.",
	}
}

// beginnings say what details are about, where these do not say it themselves.
func beginnings() map[Code]string {
	return map[Code]string{
		WarnColumnUnknown:  "The options say something of a column that the file does not have:",
		WarnFooterLikely:   "The last rows may be no data:",
		WarnSourceRefused:  "The file cannot be read as was said, and is read as before:",
		WarnEncodingUnsure: "How the texts are encoded is not certain:",
		WarnDateOrder:      "How dates are read is not certain:",
		WarnDecimalMark:    "How numbers are read is not certain:",
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

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func ended(text string) string {
	if strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
