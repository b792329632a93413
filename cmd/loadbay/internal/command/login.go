package command

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/login"
)

func (a *app) loginCommand() *cobra.Command {
	var how signInOptions
	c := &cobra.Command{
		Use: "login", Short: "Sign in to the current installation with your browser", Args: exactUsage(cobra.NoArgs),
		Long: `Sign in to the current installation with your browser. What you get is kept in the
system's keyring, or, where there is none, in a file that only you can read, and it is
renewed when it is used. LOADBAY_TOKEN comes before it.

Where no browser can be opened, and the issuer offers it, or with --device, you get a code
that you confirm in the browser of any other device.`,
		Example: `  loadbay context add test https://loadbay.example.org
  loadbay login
  loadbay login --context test --no-browser
  loadbay login --device`,
		RunE: func(c *cobra.Command, _ []string) error {
			if how.noBrowser && how.useCode {
				return usageError{errors.New("--no-browser says the address for a browser on this machine, --device gives a code for another one: one of them")}
			}
			settings, name, err := a.namedContext()
			if err != nil {
				return err
			}
			issuer, err := a.fetchIssuer(c.Context(), settings.Contexts[name].URL)
			if err != nil {
				return err
			}
			credential, err := a.signIn(c.Context(), issuer, how)
			if err != nil {
				return err
			}
			text, err := credential.Encode()
			if err == nil {
				err = a.saveToken(settings, name, text)
			}
			if err != nil {
				return err
			}
			return a.printSignedIn(c.Context(), name)
		},
	}
	c.Flags().BoolVar(&how.noBrowser, "no-browser", false, "only say the address to open, on this machine")
	c.Flags().BoolVar(&how.useCode, "device", false, "get a code, and confirm it in a browser of any device")
	return c
}

// signInOptions is how a person wants to sign in.
type signInOptions struct {
	noBrowser bool // no browser is opened
	useCode   bool // by a code
}

// signIn signs a person in at an issuer: by a code where they want that, or where their
// browser is elsewhere and the issuer gives codes.
func (a *app) signIn(ctx context.Context, issuer login.Issuer, how signInOptions) (*login.Credential, error) {
	provider, err := login.Discover(ctx, issuer)
	if err != nil {
		return nil, err
	}
	if how.useCode || !how.noBrowser && !a.hasBrowser() && provider.OffersCodes() {
		return provider.ByCode(ctx, a.showCode)
	}
	return provider.ByBrowser(ctx, a.openURL(ctx, how.noBrowser))
}

// showCode says what to confirm. The code is always there, to be compared with the page's.
func (a *app) showCode(code login.DeviceCode) {
	if code.URLWithCode != "" {
		a.notify("Open this address in a browser of any device:\n\n%s\n\nand confirm the code %s, if the page shows the same.\n", code.URLWithCode, code.Text)
		return
	}
	a.notify("Open this address in a browser of any device:\n\n%s\n\nand enter the code %s there.\n", code.URL, code.Text)
}

func (a *app) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Forget the token of the current installation", Args: exactUsage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			settings, name, err := a.namedContext()
			if err != nil {
				return err
			}
			return settings.DeleteToken(name)
		},
	}
}

// namedContext returns the settings and the context that is meant, which has to have a name: a
// token is kept under it.
func (a *app) namedContext() (*config.Config, string, error) {
	c, err := config.Load(a.environment)
	if err != nil {
		return nil, "", err
	}
	name := cmp.Or(a.context, c.Current)
	if a.url != "" || name == "" {
		return nil, "", usageError{errors.New("which installation? Add one with: loadbay context add NAME https://…")}
	}
	_, err = c.Resolve(name, "", "")
	if err != nil {
		return nil, "", usageError{err}
	}
	return c, name, nil
}

// fetchIssuer asks an installation where people sign in.
func (a *app) fetchIssuer(ctx context.Context, address string) (login.Issuer, error) {
	caller, err := client.New(address)
	if err != nil {
		return login.Issuer{}, usageError{err}
	}
	found, err := client.Read[api.Auth](caller.API.GetAuth(ctx))
	if err != nil {
		return login.Issuer{}, err
	}
	if found.Issuer == nil || found.CommandClientID == nil {
		return login.Issuer{}, errors.New("this installation does not say where to sign in; get a token from its operator: loadbay context add NAME ADDRESS --with-token")
	}
	issuer := login.Issuer{Address: *found.Issuer, ClientID: *found.CommandClientID, Scopes: found.Scopes}
	if found.Audience != nil {
		issuer.Audience = *found.Audience
	}
	return issuer, nil
}

// openURL says the address to open, and opens it.
func (a *app) openURL(ctx context.Context, stay bool) func(string) {
	return func(address string) {
		a.notify("Sign in at:\n\n%s\n", address)
		if !stay && a.streams.ErrIsTerminal {
			_ = openBrowser(ctx, address).Start() // where there is none, the person opens it
		}
	}
}

// hasBrowser reports whether a browser can be opened where the person sits.
func (a *app) hasBrowser() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return !a.environment.Remote
	default:
		_, err := exec.LookPath("xdg-open")
		return err == nil && a.environment.Display
	}
}

// openBrowser opens an address in the person's own.
func openBrowser(ctx context.Context, address string) *exec.Cmd {
	switch runtime.GOOS {
	case "darwin":
		return exec.CommandContext(ctx, "open", address)
	case "windows":
		return exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address)
	default:
		return exec.CommandContext(ctx, "xdg-open", address)
	}
}

// printSignedIn says who has signed in.
func (a *app) printSignedIn(ctx context.Context, name string) error {
	if a.environment.Token != "" {
		a.notify("LOADBAY_TOKEN is set, and comes before this.")
	}
	a.context = name // the token that was just kept, and not the environment's
	caller, err := a.client()
	if err != nil {
		return err
	}
	found, err := client.Read[identity](caller.API.GetMe(ctx))
	if err != nil {
		return err
	}
	a.notify("Signed in as %v for %v.", orDash(found.Subject), orDash(found.OrganisationName))
	return nil
}
