import { FOREIGN_SCOPES } from '../../domain/identity/jwt-issuer-settings.ts'
import { listCertificates, pinCertificate, unpinCertificate } from '../../operator/certificates/pin-certificate.ts'
import { count, oneOf, required, text, texts } from '../../operator/fields.ts'
import { JWT_ALGORITHMS, listIssuers, mapSubject, removeIssuer, trustIssuer } from '../../operator/jwt-issuers/trust-issuer.ts'
import { ADMINISTRATORS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { snakeMembers } from '../../operator/snake-members.ts'
import { addUser, allowAgent, disallowAgent, listUsers, revokeUser } from '../../operator/users/manage-users.ts'
import { type AdminOperation, operation } from '../operation.ts'

export const credentialOperations: readonly AdminOperation[] = [
  operation('GET /users', 'listUsers', {
    roles: ADMINISTRATORS,
    summary: 'User names of buyers (HTTP Basic, and log-in of assistants).',
    fields: {},
    run: async (context, { tenantId }) => list(await listUsers(context, tenantId)),
  }),
  operation('POST /users', 'addUser', {
    roles: ADMINISTRATORS,
    summary: 'Adds a user; without a password one is made, and is in this answer and nowhere else.',
    fields: {
      username: required(text('without a colon')),
      buyer: required(text('the buyer that the user acts as')),
      password: text('16 characters or more'),
    },
    async run(context, { tenantId, values: { username, buyer, password } }) {
      const { madePassword } = await addUser(context, { tenantId, username, principalId: buyer, password })
      return { username, buyer, ...(madePassword !== undefined && { password: madePassword }) }
    },
  }),
  operation('PUT /users/{username}/buyers/{buyer}', 'allowUser', {
    roles: ADMINISTRATORS,
    summary: 'Lets a user choose one more buyer when connecting an assistant.',
    fields: {},
    async run(context, { tenantId, params }) {
      await allowAgent(context, { tenantId, username: params.username, principalId: params.buyer })
      return { username: params.username, buyer: params.buyer }
    },
  }),
  operation('DELETE /users/{username}/buyers/{buyer}', 'disallowUser', {
    roles: ADMINISTRATORS,
    summary: 'Takes that back.',
    fields: {},
    async run(context, { tenantId, params }) {
      await disallowAgent(context, { tenantId, username: params.username, principalId: params.buyer })
      return { username: params.username, buyer: params.buyer, removed: true }
    },
  }),
  operation('POST /users/{username}/revoke', 'revokeUser', {
    roles: ADMINISTRATORS,
    summary: 'Ends a user now.',
    fields: {},
    async run(context, { tenantId, params }) {
      await revokeUser(context, { tenantId, username: params.username })
      return { username: params.username, status: 'revoked' }
    },
  }),
  operation('GET /certificates', 'listCertificates', {
    roles: ADMINISTRATORS,
    summary: 'Names of client certificates, and the buyers that they belong to.',
    fields: {},
    run: async (context, { tenantId }) => list(await listCertificates(context, tenantId)),
  }),
  operation('POST /certificates', 'pinCertificate', {
    roles: ADMINISTRATORS,
    summary: 'Lets the holder of a client certificate with this name act as a buyer.',
    fields: { buyer: required(text('its id')), name: required(text('dns:…, uri:…, email:…, ip:… or subject:…')) },
    run: async (context, { tenantId, values: { buyer, name } }) => ({
      buyer,
      name: await pinCertificate(context, { tenantId, principalId: buyer, name }),
    }),
  }),
  operation('DELETE /certificates/{name}', 'unpinCertificate', {
    roles: ADMINISTRATORS,
    summary: 'Ends that.',
    fields: {},
    run: async (context, { tenantId, params }) => ({
      name: await unpinCertificate(context, { tenantId, name: params.name }),
      removed: true,
    }),
  }),
  operation('GET /jwt-issuers', 'listIssuers', {
    roles: ADMINISTRATORS,
    summary: 'Authorization servers whose tokens count.',
    fields: {},
    run: async (context, { tenantId }) => list((await listIssuers(context, tenantId)).map(snakeMembers)),
  }),
  operation('PUT /jwt-issuers/{issuer}', 'trustIssuer', {
    roles: ADMINISTRATORS,
    summary: 'Trusts an issuer, or changes how it is trusted.',
    fields: {
      audience: required(text('what its tokens for this agent name in aud')),
      jwks_uri: required(text('the address of its public keys')),
      algorithms: texts(`of ${JWT_ALGORITHMS.join(', ')}; default: EdDSA, ES256`),
      max_age_seconds: count('longest time since iat; default: 3600'),
      foreign_scopes: oneOf(FOREIGN_SCOPES, 'what tokens may do that name only scopes such as openid; default: inherit'),
    },
    async run(context, { tenantId, params, values }) {
      const { audience, jwks_uri: jwksUri, algorithms = ['EdDSA', 'ES256'], max_age_seconds: maxAgeSeconds = 3600 } = values
      const { foreign_scopes: foreignScopes } = values
      const input = { tenantId, issuer: params.issuer, audience, jwksUri, algorithms, maxAgeSeconds, foreignScopes }
      return snakeMembers(await trustIssuer(context, input))
    },
  }),
  operation('PUT /jwt-issuers/{issuer}/subjects/{subject}', 'mapSubject', {
    roles: ADMINISTRATORS,
    summary: 'Lets a subject of an issuer act as a buyer.',
    fields: { buyer: required(text('its id')) },
    async run(context, { tenantId, params, values: { buyer } }) {
      await mapSubject(context, { tenantId, principalId: buyer, issuer: params.issuer, subject: params.subject })
      return { issuer: params.issuer, subject: params.subject, buyer }
    },
  }),
  operation('DELETE /jwt-issuers/{issuer}', 'removeIssuer', {
    roles: ADMINISTRATORS,
    summary: 'Trusts an issuer no longer.',
    fields: {},
    async run(context, { tenantId, params }) {
      await removeIssuer(context, { tenantId, issuer: params.issuer })
      return { issuer: params.issuer, removed: true }
    },
  }),
]
