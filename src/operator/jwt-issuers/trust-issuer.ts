import {
  FOREIGN_SCOPES,
  JWT_ALGORITHMS,
  type JwtAlgorithm,
  type JwtIssuerSettings,
} from '../../domain/identity/jwt-issuer-settings.ts'
import { sealAddress } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../../store/database.ts'
import { issuerQueryOf, listJwtIssuers, removeJwtIssuer, saveJwtIssuer, unknownIssuer } from '../../store/identity/jwt-issuers.ts'
import { addJwtSubject, findJwtSubject } from '../../store/identity/jwt-subjects.ts'
import { issuerPlace } from '../../store/identity/key-addresses.ts'
import { defineAct, type Watching } from '../act.ts'
import { concealed } from '../changed-members.ts'
import { between, count, exact, oneOf, required, some, someOf, text } from '../fields.ts'
import { requireHttpsUrl } from '../https-url.ts'
import { BUYER } from '../named-buyer.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { about, boolean, integer, list, listOf, named, type Of, object, pageOf, string, word } from '../shape.ts'

// Several acts in one file: they list, change and remove the same thing.

const DEFAULT_ALGORITHMS: readonly JwtAlgorithm[] = ['EdDSA', 'ES256']

/** AdCP guidance: an hour for reads; a publisher who sells by token sets less. */
const MAX_AGE_SECONDS = 3600

const ISSUER = required(text('the iss of its tokens'))

const issuerShape = named(
  'JwtIssuer',
  object({
    tenant_id: string,
    issuer: string,
    audience: about('what its tokens for this agent name in aud', string),
    jwks_uri: about('the address of its public keys, without what follows its ?', string),
    algorithms: listOf(word(...JWT_ALGORITHMS)),
    max_age_seconds: about('longest time since iat', integer),
    foreign_scopes: about('what tokens may do that name only scopes such as openid', word(...FOREIGN_SCOPES)),
  }),
)

/** Trusts an authorization server, or changes how it is trusted. Throws INVALID_REQUEST. */
export const trustIssuer = defineAct({
  name: 'jwt-issuers.add',
  route: 'PUT /jwt-issuers/{issuer}',
  id: 'trustIssuer',
  roles: ADMINISTRATORS,
  summary: 'Trusts an issuer, or changes how it is trusted.',
  fields: {
    issuer: ISSUER,
    audience: required(text('what its tokens for this agent name in aud')),
    jwks_uri: required(text('the address of its public keys')),
    algorithms: some(someOf(JWT_ALGORITHMS, `of ${JWT_ALGORITHMS.join(', ')} (default: ${DEFAULT_ALGORITHMS.join(',')})`)),
    max_age_seconds: between(1, 86_400, count(`longest time since iat, seconds (default: ${MAX_AGE_SECONDS})`)),
    foreign_scopes: oneOf(FOREIGN_SCOPES, 'what tokens may do that name only scopes such as openid (default: inherit)'),
  },
  answer: issuerShape,
  command: {
    flags: { max_age_seconds: 'max-age' },
    text: ({ tenant_id: tenant, issuer }) => [
      `${tenant} trusts ${issuer}; let its subjects in with: sales-agent jwt-issuers map ${issuer} SUBJECT --buyer ID`,
    ],
  },
  watch: watchedIssuer,
  async run({ store, tenantId, clock, services }, { issuer, audience, algorithms = DEFAULT_ALGORITHMS, ...more }) {
    const { jwks_uri: address, max_age_seconds: maxAgeSeconds = MAX_AGE_SECONDS } = more
    const place = issuerPlace(tenantId, issuer)
    const keys = sealAddress(await services.webhookBox(), requireHttpsUrl(address, 'jwks_uri'), place)
    const known = (await listJwtIssuers(store.read, tenantId)).find((other) => other.issuer === issuer)
    const foreignScopes = more.foreign_scopes ?? known?.foreignScopes ?? 'inherit'
    const trusted = {
      tenantId,
      issuer,
      audience,
      jwksUri: keys.url,
      jwksQuery: keys.query,
      maxAgeSeconds,
      foreignScopes,
      algorithms,
    }
    await store.transaction((tx) => saveJwtIssuer(tx, trusted, clock()))
    return presentIssuer(trusted)
  },
})

/** How an issuer is trusted, for the audit log. */
async function watchedIssuer(tx: Db, { tenantId }: Watching, { issuer }: { readonly issuer: string }) {
  const known = (await listJwtIssuers(tx, tenantId)).find((each) => each.issuer === issuer)
  return known && { ...presentIssuer(known), jwks_query: concealed(await issuerQueryOf(tx, tenantId, issuer)) }
}

/** Lets a subject of a trusted issuer act as a buyer. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST. */
export const mapSubject = defineAct({
  name: 'jwt-issuers.map',
  route: 'PUT /jwt-issuers/{issuer}/subjects/{subject}',
  id: 'mapSubject',
  roles: ADMINISTRATORS,
  summary: 'Lets a subject of an issuer act as a buyer.',
  fields: { issuer: ISSUER, subject: required(exact(text('the sub of its tokens'))), buyer: BUYER },
  answer: object({ issuer: string, subject: string, buyer: string }),
  command: {
    text: ({ issuer, subject, buyer }) => [`${subject} of ${issuer} acts as ${buyer}`],
    json: ({ issuer, subject, buyer }, _, tenant) => ({ tenant_id: tenant, buyer, principal_id: buyer, issuer, subject }),
  },
  async watch(tx, { tenantId }, { issuer, subject }) {
    const known = await findJwtSubject(tx, tenantId, issuer, subject)
    return known && { buyer: known.principal.principalId }
  },
  async run({ store, tenantId, clock, noteSubject }, { issuer, subject, buyer }) {
    noteSubject(`${subject} of ${issuer}`)
    await store.transaction(async (tx) => {
      if (!(await listJwtIssuers(tx, tenantId)).some((each) => each.issuer === issuer)) throw unknownIssuer(tenantId, issuer)
      await addJwtSubject(tx, { tenantId, principalId: buyer, issuer, subject }, clock())
    })
    return { issuer, subject, buyer }
  },
})

/** The trusted issuers of a publisher. */
export const listIssuers = defineAct({
  name: 'jwt-issuers.list',
  route: 'GET /jwt-issuers',
  id: 'listIssuers',
  roles: READERS,
  summary: 'Authorization servers whose tokens are accepted.',
  fields: {},
  answer: pageOf(issuerShape),
  command: {
    everyPublisher: true,
    columns: [
      ['TENANT', (row) => row.tenant_id],
      ['ISSUER', ({ issuer }) => issuer],
      ['AUDIENCE', ({ audience }) => audience],
      ['ALGORITHMS', ({ algorithms }) => algorithms.join(',')],
      ['MAX AGE', (row) => `${row.max_age_seconds} s`],
      ['FOREIGN SCOPES', (row) => row.foreign_scopes],
    ],
  },
  run: async ({ store, tenantId }) => list((await listJwtIssuers(store.read, tenantId)).map(presentIssuer)),
})

/** Removes a trusted issuer. Throws REFERENCE_NOT_FOUND. */
export const removeIssuer = defineAct({
  name: 'jwt-issuers.remove',
  route: 'DELETE /jwt-issuers/{issuer}',
  id: 'removeIssuer',
  roles: ADMINISTRATORS,
  summary: 'Removes a trusted issuer.',
  fields: { issuer: ISSUER },
  answer: object({ issuer: string, removed: boolean }),
  command: {
    text: ({ issuer }) => [`${issuer} is not trusted any more`],
    json: (answer, _, tenant) => ({ tenant, ...answer }),
  },
  watch: watchedIssuer,
  async run({ store, tenantId }, { issuer }) {
    await store.transaction((tx) => removeJwtIssuer(tx, tenantId, issuer))
    return { issuer, removed: true }
  },
})

function presentIssuer(settings: JwtIssuerSettings): Of<typeof issuerShape> {
  return {
    tenant_id: settings.tenantId,
    issuer: settings.issuer,
    audience: settings.audience,
    jwks_uri: settings.jwksUri,
    algorithms: settings.algorithms,
    max_age_seconds: settings.maxAgeSeconds,
    foreign_scopes: settings.foreignScopes,
  }
}
