import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { secretsIn } from '../../security/secrets/deployment-secrets.ts'
import type { AdmitDocument } from './client-documents.ts'
import { createAuthorizationServer, type ProviderOptions, type ServerOptions } from './provider.ts'
import { type DatedKey, LOOK_MS, type TokenKey, tokenKeys } from './token-keys.ts'

/** The authorization server as it is: an operator may change its keys while it runs. */
export interface ServedProvider {
  readonly provider: () => Provider
  /** Serves a request; `admitDocument` is asked before a document of its client is read. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, admitDocument: AdmitDocument) => Promise<void>
  /** What checks its tokens; another list when there are other keys. */
  readonly publicKeys: () => readonly Omit<TokenKey, 'd'>[]
  /** Checks for changed keys. */
  readonly keys: BackgroundJob
}

/** Serves the authorization server. It holds no lasting state, so it is made anew when its keys or the deployment's secrets change. */
export async function serveProvider(options: ProviderOptions): Promise<ServedProvider> {
  const load = () => tokenKeys(options.store, options.box, options.clock())
  const admissions = new WeakMap<IncomingMessage, AdmitDocument>()
  const withAdmissions = { ...options, admissions }
  let current = make(withAdmissions, await load())
  const look = async () => {
    const keys = await load()
    const isOther = namesOf(keys) !== namesOf(current.keys) || current.secrets !== secretsIn(options.secret).all()
    if (isOther) current = make(withAdmissions, keys)
    return false
  }
  return {
    provider: () => current.provider,
    handle(request, response, admitDocument) {
      admissions.set(request, admitDocument)
      return current.handle(request, response)
    },
    publicKeys: () => current.publicKeys,
    keys: startBackgroundJob(look, LOOK_MS, options.onError),
  }
}

function make(options: ServerOptions, keys: readonly DatedKey[]) {
  const secrets = secretsIn(options.secret).all()
  const provider = createAuthorizationServer(options, keys)
  const publicKeys = keys.map(({ key: { d: _private, ...publicKey } }) => publicKey)
  return { keys, secrets, provider, handle: provider.callback(), publicKeys }
}

const namesOf = (keys: readonly DatedKey[]): string => keys.map(({ key }) => key.kid).join(' ')
