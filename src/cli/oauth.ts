import { Command } from 'commander'
import { listClients, listGrants, removeClient, revokeGrant } from '../operator/oauth/oauth-grants.ts'
import { rotateTokenKey } from '../operator/oauth/rotate-token-key.ts'
import { operate } from './operate.ts'
import { print, printList, table } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'

interface Options extends StoreOptions {
  readonly json?: boolean
}

interface RotateOptions extends Options {
  readonly compromised?: boolean
}

/** `sales-agent oauth clients|grants|revoke|remove-client|rotate-key`: assistants that people connected, and how to end that. */
export function oauthCommand(): Command {
  const oauth = new Command('oauth')
  withStoreOptions(oauth.command('clients').description('list the registered clients')).option('--json').action(showClients)
  withStoreOptions(oauth.command('grants').description('list who let which client act for them, and for what'))
    .option('--json')
    .action(showGrants)
  // Ids are base64url, so one in 64 begins with "-": it is no option.
  withStoreOptions(oauth.command('revoke <grant>').description('end a grant: its tokens stop working at once'))
    .allowUnknownOption()
    .option('--json')
    .action(revoke)
  withStoreOptions(oauth.command('remove-client <client>').description('forget a client and end every grant to it'))
    .allowUnknownOption()
    .option('--json')
    .action(remove)
  withStoreOptions(oauth.command('rotate-key').description('sign access tokens with a new key; those signed before still count'))
    .option('--compromised', 'forget the keys before it at once: every access token ends, and is got anew with its refresh token')
    .option('--json')
    .action(rotateKey)
  return oauth
}

function showClients(options: Options): Promise<void> {
  return operate(options, async (operator) => {
    const clients = await listClients(operator)
    const rows = clients.map((each) => [each.client_id, each.client_name, each.redirect_uris.join(' '), each.used_at ?? 'never'])
    printList(options.json, clients, table(['CLIENT', 'NAME', 'REDIRECTS', 'USED'], rows))
  })
}

function showGrants(options: Options): Promise<void> {
  return operate(options, async (operator) => {
    const grants = await listGrants(operator)
    const rows = grants.map((each) => [
      each.grant,
      each.principal === null ? each.user : `${each.user} as ${each.principal}`,
      each.client_id,
      Object.values(each.resources).join(' '),
      each.granted_at,
    ])
    printList(options.json, grants, table(['GRANT', 'USER', 'CLIENT', 'SCOPES', 'GRANTED'], rows))
  })
}

function revoke(grantId: string, options: Options): Promise<void> {
  return operate(options, async (operator) => {
    await revokeGrant(operator, grantId)
    print(options.json, { revoked: grantId }, [`grant ${grantId} is revoked; its tokens stop working at once`])
  })
}

function remove(clientId: string, options: Options): Promise<void> {
  return operate(options, async (operator) => {
    const grants = await removeClient(operator, clientId)
    print(options.json, { removed: clientId, grants }, [`client ${clientId} is gone, with ${grants} grants`])
  })
}

function rotateKey({ compromised = false, ...options }: RotateOptions): Promise<void> {
  return operate(options, async (operator) => {
    const { kid, signsFrom, kept } = await rotateTokenKey(operator, { compromised })
    const value = { kid, signs_from: signsFrom.toISOString(), kept }
    print(options.json, value, [
      `key ${kid} signs access tokens from ${value.signs_from}; running servers know it by then`,
      kept.length > 0
        ? `${kept.join(', ')} verifies until its last token has run out, an hour later`
        : 'no token from before counts',
    ])
  })
}
