import type { PeerOf } from '../platform/net/peer.ts'
import { createRateLimit } from '../platform/net/rate-limit.ts'
import { identify } from '../security/auth/identify.ts'
import { oauthRoutes } from '../transports/http/oauth.ts'
import type { Routes } from '../transports/http/server.ts'
import type { App } from './app.ts'

/** Registrations of one address in an hour: an assistant registers once. */
const REGISTRATIONS = { limit: 20, windowSeconds: 3600 }
/** Client metadata documents fetched for one address in ten minutes. Hosted assistants share a few addresses, and each has one document, which is cached. */
const DOCUMENTS = { limit: 60, windowSeconds: 600 }
/** Logins of one address that are begun in ten minutes: an office behind one address has some; each is stored that long. */
const LOGINS = { limit: 300, windowSeconds: 600 }

/** The authorization server's transports, when there is one. People prove themselves as HTTP Basic callers do, with the same back-off. */
export function oauthDoors(app: App, peerOf: PeerOf): Routes {
  const { oauth, log } = app
  if (!oauth) return []
  return oauthRoutes({
    ...oauth,
    peerOf,
    limitRegistrations: createRateLimit({
      name: 'oauth-registrations',
      what: 'registrations',
      scope: 'global',
      ...REGISTRATIONS,
      counters: app.counters,
    }),
    limitLogins: createRateLimit({ name: 'oauth-logins', what: 'logins', scope: 'global', ...LOGINS, counters: app.counters }),
    limitDocuments: createRateLimit({
      name: 'oauth-documents',
      what: 'documents of clients',
      scope: 'global',
      ...DOCUMENTS,
      counters: app.counters,
    }),
    async logIn(request, username, password) {
      const pair = Buffer.from(`${username}:${password}`).toString('base64')
      const credentials = {
        authorization: `Basic ${pair}`,
        rawHeaders: [],
        method: 'POST',
        target: request.url ?? '',
        body: undefined,
        remoteAddress: peerOf(request).address,
      }
      const caller = await identify(app.verifiers, credentials, app.clock())
      // As the verifier read the name: a colon in the form's one would have moved a part of it to the password.
      return caller.kind === 'known' ? caller.principal.credentialId : undefined
    },
    log,
  })
}
