package translation

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func others() []Language { return Languages()[1:] }

// Every text has a translation in every language, with the same values and a length that fits where
// the English text fits.
func TestTranslationsHaveTheSameValuesAndFit(t *testing.T) {
	t.Parallel()
	all := entries()
	require.Greater(t, len(all), 200)
	seen := make(map[string]bool)
	for _, e := range all {
		require.False(t, seen[e.english], "twice: %s", e.english)
		seen[e.english] = true
		require.Len(t, e.translations, len(others()), e.english)
		for _, l := range others() {
			text := e.translations[l]
			require.NotEmpty(t, text, "%s: %s", l, e.english)
			require.Equal(t, valuesOf(e.english), valuesOf(text), "%s: %s", l, text)
			length, most := utf8.RuneCountInString(text), utf8.RuneCountInString(e.english)*17/10+24
			require.LessOrEqual(t, length, most, "%s: %s", l, text)
		}
	}
}

// valuesOf returns the indexes of the values in a text, in order.
func valuesOf(text string) []int {
	_, verbs := split(text)
	indexes := make([]int, 0, len(verbs))
	next := 1
	for _, v := range verbs {
		if v.index > 0 {
			next = v.index
		}
		indexes = append(indexes, next)
		next++
	}
	slices.Sort(indexes)
	return indexes
}

// The rules of the console's texts apply here as well: formal address, one word per term, and the
// punctuation of the language.
func TestTranslationsAreWrittenLikeTheConsole(t *testing.T) {
	t.Parallel()
	wrong := map[Language]*regexp.Regexp{
		"de": regexp.MustCompile(`(?i)(^|\PL)(du|dir|dich|dein\pL*|berichtig\pL*|genehmig\pL*|gescheitert|Zustand|weglassen|stillst\pL*)(\PL|$)|[”«»]`),
		"fr": regexp.MustCompile(`(?i)(^|\PL)(tu|ton|ta|tes|toi|te|imports?|exports?)(\PL|$)|[^\x{202f}(][:;!?»]($|[^/#])|«[^\x{202f}]`),
		"es": regexp.MustCompile(`(?i)(^|\PL)(tú|tu|tus|ti|te|deshac\pL*|deshech[oa]s?)(\PL|$)|[“”]`),
		"nl": regexp.MustCompile(`(?i)(^|\PL)(je|jij|jou|jouw|jullie|verbeter\pL*|toestand)(\PL|$)`),
	}
	allowed := regexp.MustCompile(`https?://|\d+(:\d+)+|#REF!|#[¡\pL]+!|"[^"]*"|\{(?:[^{}]|\{[^}]*\})*\}|\b[\w-]+(?::[\w-]+)+\b|\?}|&[a-z]+;|Location:|Authorization: Bearer|Bearer|(?:GET|POST) /[\w/-]+|\b(?:index|none|concepts|tenant|If-None-Match): `)
	for _, e := range entries() {
		for _, l := range others() {
			text := allowed.ReplaceAllString(e.translations[l], "x")
			require.NotRegexp(t, wrong[l], text, "%s", l)
			require.Equal(t, strings.TrimSpace(text), text)
			require.NotContains(t, text, "  ")
			if endsLikeSentence(e.english) {
				require.True(t, endsLikeSentence(text), "%s: %s", l, text)
			}
		}
	}
}

func endsLikeSentence(text string) bool { return strings.HasSuffix(text, ".") }

func TestNegotiation(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]Language{
		"": "en", "de": "de", "de-AT,de;q=0.9,en;q=0.8": "de", "pl, fr;q=0.7, en;q=0.3": "fr", "en-GB,en;q=0.9,nl;q=0.8": "en",
		"*": "en", "es;q=0": "en", "NL": "nl", "fr;q=x, es": "es", "ar-XB": "en",
	} {
		require.Equal(t, want, Negotiate(header), header)
	}
}

// Messages are translated with their values, which stay as they are in the file.
func TestTextsAreTranslatedWithTheirValues(t *testing.T) {
	t.Parallel()
	for english, want := range map[string]string{
		"First name": "Vorname",
		"Email: A value is required. Enter an e-mail address: ada@example.org.":                                               "E-Mail-Adresse: Ein Wert ist erforderlich. Erwartet: eine E-Mail-Adresse: ada@example.org.",
		"The text is too long for this column. At most 50 characters are allowed.":                                            "Der Text ist zu lang für diese Spalte. Höchstens 50 Zeichen sind erlaubt.",
		"Row 1200 of this file has the same value.":                                                                           "Zeile 1200 dieser Datei hat denselben Wert.",
		"03/04/2026 may be 3 April 2026 or 4 March 2026. Write it as year, month and day, 2026-01-31, or set the date order.": "03/04/2026 kann 3. April 2026 oder 4. März 2026 sein. Schreiben Sie Jahr, Monat und Tag, 2026-01-31, oder legen Sie das Datumsformat fest.",
		"Row many of this file has the same value.":                                                                           "Row many of this file has the same value.", // no number, so another text
		"The fleet has no such vehicle: see notes.":                                                                           "The fleet has no such vehicle: see notes.", // of a declared type
	} {
		require.Equal(t, want, Language("de").Text(english))
		require.Equal(t, english, English.Text(english))
	}
	require.Equal(t, "Prénom\u202f: Une valeur est obligatoire.", Language("fr").Text("First name: A value is required."))
}
