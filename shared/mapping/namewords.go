package mapping

import "strings"

// articles are words before a name that say nothing. Single letters are not among them: "A team".
var articles = wordSet("the an der die das den dem ein eine le la les un une el los las una il lo gli het een de det os as um uma")

// legalForms are forms of companies and clubs at the end of a name, without gaps: "e.V." is "ev".
var legalForms = wordSet(`ltd limited inc incorporated llc llp plc corp corporation company co pty ptyltd
	gmbh ggmbh ag kg kgaa ohg gbr ug ev eg eingetragenerverein mbh se sa sas sasu sarl eurl snc scop asbl
	sl slu srl spa snc sas ltda lda cv vof nv bv vzw ab aktiebolag hb as asa aps oy oyj ry
	spzoo sro spol doo dd kft zrt bt nyrt ood eood ooo ao tov pp kk`)

// maxFormWords is the number of words that a legal form is split into: "Sp. z o.o.".
const maxFormWords = 4

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// nameWords returns the words of a name without its article and its legal forms, unless nothing else
// remains: "Die Ruderer e.V." is "ruderer".
func nameWords(words []string) []string {
	if len(words) > 1 && (articles[words[0]] || words[0] == "l") { // "L'Étoile"
		words = words[1:]
	}
	for {
		n := formWords(words)
		if n == 0 {
			return words
		}
		words = words[:len(words)-n]
	}
}

// formWords returns how many words at the end are a legal form, or join two of them: "GmbH & Co. KG".
func formWords(words []string) int {
	for n := min(maxFormWords, len(words)-1); n > 0; n-- {
		tail := words[len(words)-n:]
		if legalForms[strings.Join(tail, "")] {
			return n
		}
		if n > 1 && tail[0] == "and" && legalForms[strings.Join(tail[1:], "")] {
			return n
		}
	}
	return 0
}
