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
		Long: `Sign in to the current installation with your browser. The token is stored in the system's
keyring, or in a file that only you can read if there is no keyring. It is renewed when it is
used. LOADBAY_TOKEN has precedence.

If no browser can be opened and the issuer supports it, or with --device, you get a code to
confirm in a browser on any other device.`,
		Example: `  loadbay installation add test https://loadbay.example.org
  loadbay login
  loadbay login --installation test --no-browser
  loadbay login --device`,
		RunE: func(c *cobra.Command, _ []string) error {
			if how.noBrowser && how.useCode {
				return usageError{errors.New("use only one of --no-browser and --device")}
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
	c.Flags().BoolVar(&how.noBrowser, "no-browser", false, "print the address instead of opening a browser")
	c.Flags().BoolVar(&how.useCode, "device", false, "get a code to confirm in a browser on any device")
	return c
}

// signInOptions selects a way to sign in.
type signInOptions struct {
	noBrowser bool // do not open a browser
	useCode   bool // use a device code
}

// signIn signs a person in at an issuer. It uses a device code if the person asked for one, or
// if no local browser is available and the issuer supports codes.
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

// showCode prints the address and the code to confirm. It always prints the code, so that the
// person can compare it with the one on the page.
func (a *app) showCode(code login.DeviceCode) {
	if code.URLWithCode != "" {
		a.report("Open this address in a browser on any device:\n\n%s\n\nand check that it shows the code %s before you confirm.\n", code.URLWithCode, code.Text)
		return
	}
	a.report("Open this address in a browser on any device:\n\n%s\n\nand enter the code %s.\n", code.URL, code.Text)
}

func (a *app) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Remove the token of the current installation", Args: exactUsage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			settings, name, err := a.namedContext()
			if err != nil {
				return err
			}
			return settings.DeleteToken(name)
		},
	}
}

// namedContext returns the configuration and the selected context. The context must have a
// name, because its token is saved under it.
func (a *app) namedContext() (*config.Config, string, error) {
	c, err := config.Load(a.environment)
	if err != nil {
		return nil, "", err
	}
	name := cmp.Or(a.context, c.Current)
	if a.url != "" || name == "" {
		return nil, "", usageError{errors.New("no installation selected; add one with: loadbay installation add NAME https://…")}
	}
	_, err = c.Resolve(name, "", "")
	if err != nil {
		return nil, "", usageError{err}
	}
	return c, name, nil
}

// fetchIssuer fetches the sign-in settings of an installation.
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
		return login.Issuer{}, errors.New("this installation does not support sign-in; get a token from its operator: loadbay installation add NAME ADDRESS --with-token")
	}
	issuer := login.Issuer{Address: *found.Issuer, ClientID: *found.CommandClientID, Scopes: found.Scopes}
	if found.Audience != nil {
		issuer.Audience = *found.Audience
	}
	return issuer, nil
}

// openURL returns a function that prints an address and opens it.
func (a *app) openURL(ctx context.Context, stay bool) func(string) {
	return func(address string) {
		a.report("Sign in at:\n\n%s\n", address)
		if !stay && a.streams.ErrIsTerminal {
			_ = openBrowser(ctx, address).Start() // without a browser the person opens the address
		}
	}
}

// hasBrowser reports whether a browser can be opened on the person's own screen.
func (a *app) hasBrowser() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return !a.environment.Remote
	default:
		_, err := exec.LookPath("xdg-open")
		return err == nil && a.environment.Display
	}
}

// openBrowser returns the command that opens an address in the default browser.
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

// printSignedIn prints the identity after a sign-in.
func (a *app) printSignedIn(ctx context.Context, name string) error {
	if a.environment.Token != "" {
		a.notify("LOADBAY_TOKEN is set and has precedence.")
	}
	a.context = name // use the saved token, not the one from the environment
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
