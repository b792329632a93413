package expression

import "strings"

// token is a word of an expression: a name, "#name", ":value" or a symbol.
type token struct {
	text string
	pos  int // byte offset in the source
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// tokenize splits an expression into its tokens.
func tokenize(source string) ([]token, error) {
	var tokens []token
	for pos := 0; pos < len(source); {
		switch c := source[pos]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			pos++
			continue
		case c == '#' || c == ':' || isWord(c):
			end := pos + 1
			for end < len(source) && isWord(source[end]) {
				end++
			}
			tokens = append(tokens, token{source[pos:end], pos})
		default:
			symbol := symbolAt(source[pos:])
			if symbol == "" {
				return nil, validationError("Syntax error; token: %q, near: %q", string(c), sourceExcerpt(source, pos))
			}
			tokens = append(tokens, token{symbol, pos})
		}
		pos += len(tokens[len(tokens)-1].text)
	}
	return tokens, nil
}

func symbolAt(source string) string {
	for _, symbol := range []string{"<>", "<=", ">=", "<", ">", "=", "(", ")", ",", "+", "-", ".", "[", "]"} {
		if strings.HasPrefix(source, symbol) {
			return symbol
		}
	}
	return ""
}

func sourceExcerpt(source string, pos int) string {
	const excerptLength = 10
	return source[max(0, pos-excerptLength):min(len(source), pos+excerptLength)]
}
