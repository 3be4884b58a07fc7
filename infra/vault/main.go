// Vault with the transit engine alone, in memory, unsealed, for tests: the code of Vault's own module, without its
// command line. Prints its address and token as one JSON line once it answers.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"

	log "github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/builtin/logical/transit"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// transitOnly is the list of built-in engines: Vault's own would bring a hundred others.
type transitOnly struct{}

func (transitOnly) Contains(name string, kind consts.PluginType) bool {
	return name == "transit" && kind == consts.PluginTypeSecrets
}
func (r transitOnly) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	return func() (interface{}, error) { return logical.Factory(transit.Factory), nil }, r.Contains(name, kind)
}
func (transitOnly) Keys(consts.PluginType) []string { return []string{"transit"} }
func (r transitOnly) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}
func (r transitOnly) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	logger := log.New(&log.LoggerOptions{Level: log.Warn})
	backend, err := inmem.NewInmem(nil, logger)
	must(err)
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: backend, DisableMlock: true, Logger: logger,
		LogicalBackends: map[string]logical.Factory{"transit": transit.Factory}, BuiltinRegistry: transitOnly{},
	})
	must(err)
	ctx := context.Background()
	init, err := core.Initialize(ctx, &vault.InitParams{
		BarrierConfig:  &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
		RecoveryConfig: &vault.SealConfig{SecretShares: 0, SecretThreshold: 0},
	})
	must(err)
	_, err = core.Unseal(init.SecretShares[0])
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{Core: core, ListenerConfig: &configutil.Listener{}})
	line, _ := json.Marshal(map[string]string{"address": "http://" + listener.Addr().String(), "token": init.RootToken})
	fmt.Println(string(line))
	must(http.Serve(listener, handler))
}
