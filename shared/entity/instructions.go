package entity

import "slices"

// Instructions are the texts by which the sheet is recognised that explains the columns of a template.
type Instructions struct {
	Sheet  string
	Header []string
}

// instructions are the texts in the languages of templates. They are not in the catalogue of texts,
// which programs that only recognise the sheet would have to contain.
var instructions = map[string]Instructions{
	"en": {"Instructions", []string{"Column", "Required", "Allowed values"}},
	"de": {"Anleitung", []string{"Spalte", "Pflicht", "Erlaubte Werte"}},
	"fr": {"Instructions", []string{"Colonne", "Obligatoire", "Valeurs autorisées"}},
	"es": {"Instrucciones", []string{"Columna", "Obligatorio", "Valores permitidos"}},
	"nl": {"Instructies", []string{"Kolom", "Verplicht", "Toegestane waarden"}},
}

// InstructionsIn returns the texts in a language, such as "de"; in English if there are none.
func InstructionsIn(language string) Instructions {
	if texts, ok := instructions[language]; ok {
		return texts
	}
	return instructions["en"]
}

// AreInstructions reports whether a sheet explains the columns of a template.
func AreInstructions(sheet string, header []string) bool {
	for _, texts := range instructions {
		if sheet == texts.Sheet && slices.Equal(header, texts.Header) {
			return true
		}
	}
	return false
}
