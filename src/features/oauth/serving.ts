import type { Provider } from 'oidc-provider'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { secretsIn } from '../../security/secrets/deployment-secrets.ts'
import { createAuthorizationServer, type ProviderOptions } from './provider.ts'
import { type DatedKey, LOOK_MS, type TokenKey, tokenKeys } from './token-keys.ts'

/** The authorization server as it is: an operator may change its keys while it runs. */
export interface ServedProvider {
  readonly provider: () => Provider
  readonly handle: ReturnType<Provider['callback']>
  /** What checks its tokens; another list when there are other keys. */
  readonly publicKeys: () => readonly Omit<TokenKey, 'd'>[]
  /** Checks for changed keys. */
  readonly keys: BackgroundJob
}

/** Serves the authorization server. It holds no lasting state, so it is made anew when its keys or the deployment's secrets change. */
export async function serveProvider(options: ProviderOptions): Promise<ServedProvider> {
  const load = () => tokenKeys(options.store, options.box, options.clock())
  let current = make(options, await load())
  const look = async () => {
    const keys = await load()
    const isOther = namesOf(keys) !== namesOf(current.keys) || current.secrets !== secretsIn(options.secret).all()
    if (isOther) current = make(options, keys)
    return false
  }
  return {
    provider: () => current.provider,
    handle: (request, response) => current.handle(request, response),
    publicKeys: () => current.publicKeys,
    keys: startBackgroundJob(look, LOOK_MS, options.onError),
  }
}

function make(options: ProviderOptions, keys: readonly DatedKey[]) {
  const secrets = secretsIn(options.secret).all()
  const provider = createAuthorizationServer(options, keys)
  const publicKeys = keys.map(({ key: { d: _private, ...publicKey } }) => publicKey)
  return { keys, secrets, provider, handle: provider.callback(), publicKeys }
}

const namesOf = (keys: readonly DatedKey[]): string => keys.map(({ key }) => key.kid).join(' ')
