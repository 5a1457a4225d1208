import type { IncomingMessage } from 'node:http'
import { type Configuration, errors } from 'oidc-provider'
import { foreignJson } from '../../platform/decode/foreign-json.ts'
import { JsonRefused } from '../../platform/decode/parse-json.ts'
import { FetchFailure, type FetchPolicy, publicReason } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { GRANTS, registeredClient } from './registration.ts'
import { OPENID_SCOPES, SCOPES } from './scopes.ts'

/** A document of the draft has at most this many bytes (OAuth Client ID Metadata Document, "Metadata Size Limits"). */
const MAX_BYTES = 5 * 1024
/** Seconds that a document counts: as long as a sign-in may take, so that it is read once for all its steps. */
const KEPT_SECONDS = 600

const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: MAX_BYTES,
  connectMs: 2_000,
  readMs: 2_000,
  totalMs: 5_000,
  contentTypes: undefined,
}

/** Rejects when whoever sent the request has had too many documents read. */
export type AdmitDocument = () => Promise<void>

/** Which request may have a document read, said by the route that took it. A request of no route holds a sign-in that was begun. */
export type DocumentAdmissions = Pick<WeakMap<IncomingMessage, AdmitDocument>, 'get'>

/**
 * Settings of the authorization server for clients whose id is the https address of a document about them (draft-ietf-oauth-client-id-metadata-document):
 * they are held to the rules of a registration, and nothing of them is stored. Members and scopes that are not offered here have no effect.
 */
export function clientDocuments(safeFetch: SafeFetch, admissions: DocumentAdmissions) {
  const fetch: Configuration['fetch'] = async (url) => {
    const { status, body } = await safeFetch(String(url), { policy: POLICY, accept: 'application/json' })
    if (status !== 200) throw new AdcpError('INVALID_REQUEST', `the host answered ${status} for it, not 200`)
    return Response.json(clientIn(foreignJson(body.toString('utf8'), { what: 'it' })))
  }
  const feature: NonNullable<NonNullable<Configuration['features']>['clientIdMetadataDocument']> = {
    enabled: true,
    ack: 'draft-02',
    cacheDuration: { min: KEPT_SECONDS, max: KEPT_SECONDS },
    async allowFetch(ctx) {
      try {
        await admissions.get(ctx?.req)?.()
        return true
      } catch (error) {
        if (!(error instanceof AdcpError) || error.code !== 'RATE_LIMITED') throw error
        throw new errors.TemporarilyUnavailable('too many documents of clients were read for this address; try again later')
      }
    },
  }
  return { fetch, feature }
}

/** Why the document of a client is refused, for the person at the browser; undefined where it is about something else. */
export function documentFault(error: unknown): string | undefined {
  const cause = error instanceof errors.InvalidClient ? error.cause : undefined
  if (cause instanceof AdcpError) return `the document of the client: ${cause.message}`
  if (cause instanceof JsonRefused) return `the document of the client is no JSON that is read here: ${cause.message}`
  if (cause instanceof FetchFailure) return `the document of the client was not read: ${publicReason(cause, cause.message)}`
  return undefined
}

/** The client that a document describes. What the library refuses by its own rules (other ids, secrets) it sees as it is. */
function clientIn(document: unknown): object {
  if (!isObject(document)) throw new AdcpError('INVALID_REQUEST', 'it is no JSON object')
  const { client_id, client_secret, scope, grant_types: grants } = document
  const scopes =
    typeof scope === 'string'
      ? scope.split(' ').filter((name) => Object.hasOwn(SCOPES, name) || OPENID_SCOPES.includes(name))
      : []
  const { client } = registeredClient({
    ...document,
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    ...(Array.isArray(grants) && { grant_types: grants.filter((grant) => GRANTS.includes(String(grant))) }),
  })
  return { ...client, client_id, ...(client_secret !== undefined && { client_secret }) }
}
