package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/notify/outbound/fetch"
	"github.com/loadbay/loadbay/shared/problem"
)

// config allows connections to test servers.
func config() fetch.Config {
	c := fetch.DefaultConfig()
	c.Allows, c.AnyPort = netip.Addr.IsLoopback, true
	return c
}

func get(t *testing.T, c fetch.Config, address string) (string, error) {
	t.Helper()
	client, err := fetch.New(c)
	require.NoError(t, err)
	var file bytes.Buffer
	n, err := client.Copy(t.Context(), address, &file)
	if err == nil {
		require.EqualValues(t, file.Len(), n)
	}
	return file.String(), err
}

func refused(t *testing.T, err error, code problem.Code) {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
	require.NotContains(t, err.Error(), "secret", "the error does not contain the URL, which may be signed")
}

func server(t *testing.T, serve http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	return s.URL + "/file?signature=secret"
}

func TestCopyFollowsRedirects(t *testing.T) {
	t.Parallel()
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("a,b\n1,2\n"))
	})
	file, err := get(t, config(), address)
	require.NoError(t, err)
	require.Equal(t, "a,b\n1,2\n", file)
}

// The redirecting address may contain a signature or credentials from the caller: neither is
// sent to the target of the redirect.
func TestRedirectDropsRefererAndCredentials(t *testing.T) {
	t.Parallel()
	var got http.Header
	there := server(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=secret; Path=/")
		http.Redirect(w, r, there, http.StatusFound)
	})
	_, err := get(t, config(), address)
	require.NoError(t, err)
	require.Equal(t, http.Header{"User-Agent": {"Loadbay"}, "Connection": {"close"}}, got)

	named := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(there, "http://", "http://user:secret@", 1), http.StatusFound)
	})
	_, err = get(t, config(), named)
	refused(t, err, problem.URLForbidden)
}

func TestNonWebPortsAreRefused(t *testing.T) {
	t.Parallel()
	c := config()
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:22/", http.StatusFound)
	})
	_, err := get(t, c, address)
	require.Equal(t, problem.FetchFailed, problem.CodeOf(err), "the port is allowed, but no server listens")
	c.AnyPort = false
	_, err = get(t, c, address)
	refused(t, err, problem.URLForbidden)
	_, err = fetch.Check("https://files.example:8080/")
	require.Equal(t, problem.URLForbidden, problem.CodeOf(err))
}

// The address of a name is known only when the connection is opened: the same check covers
// names, odd spellings of addresses, redirects, and names that change their address.
func TestLocalConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	address := server(t, func(http.ResponseWriter, *http.Request) { t.Error("a local server was reached") })
	u, err := url.Parse(address)
	require.NoError(t, err)
	public := fetch.DefaultConfig()
	public.AnyPort = true // only the host is refused
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0"} {
		_, err := get(t, public, "http://"+host+":"+u.Port()+"/?signature=secret")
		refused(t, err, problem.URLForbidden)
	}
}

func TestRedirectsAreChecked(t *testing.T) {
	t.Parallel()
	for target, code := range map[string]problem.Code{
		"http://169.254.169.254/latest/meta-data/": problem.URLForbidden,
		"http://[fd00:ec2::254]/":                  problem.URLForbidden,
		"ftp://files.example/x":                    problem.URLScheme,
		"file:///etc/passwd":                       problem.URLScheme,
		"/file":                                    problem.FetchFailed, // endless
	} {
		address := server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
		_, err := get(t, config(), address)
		refused(t, err, code)
	}
}

func TestCopyLimitsFileSize(t *testing.T) {
	t.Parallel()
	c := config()
	c.MaxBytes = 100
	for _, announced := range []bool{true, false} {
		address := server(t, func(w http.ResponseWriter, _ *http.Request) {
			if !announced {
				w.(http.Flusher).Flush()
			}
			_, _ = w.Write(bytes.Repeat([]byte("x"), 101))
		})
		_, err := get(t, c, address)
		refused(t, err, problem.FileTooLarge)
	}
	file, err := get(t, c, server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), 100)) }))
	require.NoError(t, err)
	require.Len(t, file, 100)
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	_, err := get(t, config(), server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }))
	refused(t, err, problem.FetchFailed)
	_, err = get(t, config(), server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("short"))
	}))
	refused(t, err, problem.FetchFailed)
	_, err = get(t, config(), "http://127.0.0.1:1/?signature=secret")
	refused(t, err, problem.FetchFailed)
}

func TestServerStalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(*fetch.Config){
		"stalls between bytes": func(c *fetch.Config) { c.StallTimeout = 50 * time.Millisecond },
		"altogether":           func(c *fetch.Config) { c.Timeout = 50 * time.Millisecond },
	} {
		for _, began := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				address := server(t, func(w http.ResponseWriter, r *http.Request) {
					if began {
						_, _ = w.Write([]byte("a,b\n"))
						w.(http.Flusher).Flush()
					}
					<-r.Context().Done()
				})
				limits := config()
				c(&limits)
				_, err := get(t, limits, address)
				refused(t, err, problem.FetchTimeout)
			})
		}
	}
}

// A server that trickles occupies a download for as long as one that sends nothing.
func TestServerTrickles(t *testing.T) {
	t.Parallel()
	address := server(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("a"))
			w.(http.Flusher).Flush()
			<-time.After(5 * time.Millisecond)
		}
	})
	limits := config()
	limits.StallTimeout, limits.MinBytes = 100*time.Millisecond, 1<<10
	_, err := get(t, limits, address)
	refused(t, err, problem.FetchTimeout)
	require.ErrorContains(t, err, "less than 1 KB")
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterErrorIsReturnedUnchanged(t *testing.T) {
	t.Parallel()
	client, err := fetch.New(config())
	require.NoError(t, err)
	_, err = client.Copy(context.Background(), server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) }), failingWriter{})
	require.ErrorContains(t, err, "disk full")
	require.Equal(t, problem.Internal, problem.CodeOf(err))
}
