package expression

import "strings"

// token is a word of an expression: a name, "#name", ":value" or a symbol.
type token struct {
	text string
	at   int // its byte in the source
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// split cuts an expression into its tokens.
func split(source string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(source); {
		switch c := source[at]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			at++
			continue
		case c == '#' || c == ':' || isWord(c):
			end := at + 1
			for end < len(source) && isWord(source[end]) {
				end++
			}
			tokens = append(tokens, token{source[at:end], at})
		default:
			symbol := symbolAt(source[at:])
			if symbol == "" {
				return nil, invalid("Syntax error; token: %q, near: %q", string(c), near(source, at))
			}
			tokens = append(tokens, token{symbol, at})
		}
		at += len(tokens[len(tokens)-1].text)
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

func near(source string, at int) string {
	const around = 10
	return source[max(0, at-around):min(len(source), at+around)]
}
