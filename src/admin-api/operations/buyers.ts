import { addAgent, removeAgent } from '../../operator/agents/manage-agents.ts'
import { flag, object, oneOf, required, text, texts } from '../../operator/fields.ts'
import { createKey } from '../../operator/keys/create-key.ts'
import { listKeys } from '../../operator/keys/list-keys.ts'
import { revokeKey } from '../../operator/keys/revoke-key.ts'
import { rotateKey } from '../../operator/keys/rotate-key.ts'
import { addPrincipal } from '../../operator/principals/add-principal.ts'
import { requireSigning, setAnswerText, setBilling, setStatus } from '../../operator/principals/change-principal.ts'
import { listPrincipals } from '../../operator/principals/list-principals.ts'
import { ADMINISTRATORS, READERS } from '../../operator/roles.ts'
import { list } from '../../operator/shape.ts'
import { type AdminOperation, operation } from '../operation.ts'

const SCOPES = text('comma-separated, e.g. adcp:products,adcp:media_buys; default: all')
const EXPIRES = text('ISO date, or a span such as 90d or 12h')

export const buyerOperations: readonly AdminOperation[] = [
  operation('GET /buyers', 'listBuyers', {
    roles: READERS,
    summary: 'The buyer agents.',
    fields: {},
    run: async (context, { tenantId }) => list(await listPrincipals(context, tenantId)),
  }),
  operation('POST /buyers', 'addBuyer', {
    roles: ADMINISTRATORS,
    summary: 'Adds a buyer agent.',
    fields: {
      buyer: required(text('its id')),
      name: text('name shown to people; default: the id'),
      agent_url: text('the agent’s own address'),
      scopes: SCOPES,
      sandbox: flag('acts on simulated money only'),
      signing_required: flag('may change nothing unsigned'),
    },
    run(context, { tenantId, values }) {
      const { buyer: principalId, name, agent_url: agentUrl, scopes } = values
      const { sandbox = false, signing_required: signingRequired = false } = values
      return addPrincipal(context, { tenantId, principalId, name, agentUrl, scopes, sandbox, signingRequired })
    },
  }),
  operation('PUT /buyers/{buyer}/status', 'setBuyerStatus', {
    roles: ADMINISTRATORS,
    summary: 'Stops all keys of a buyer, or lets them work again.',
    fields: { status: required(oneOf(['active', 'suspended'], 'the new status')) },
    async run(context, { tenantId, params, values: { status } }) {
      await setStatus(context, { tenantId, principalId: params.buyer, status })
      return { buyer: params.buyer, status }
    },
  }),
  operation('PUT /buyers/{buyer}/signing', 'requireSigning', {
    roles: ADMINISTRATORS,
    summary: 'Whether a buyer has to sign what changes state.',
    fields: { required: required(flag('true: nothing unsigned counts')) },
    async run(context, { tenantId, params, values }) {
      await requireSigning(context, { tenantId, principalId: params.buyer, required: values.required })
      return { buyer: params.buyer, signing_required: values.required }
    },
  }),
  operation('PUT /buyers/{buyer}/answer-text', 'setAnswerText', {
    roles: ADMINISTRATORS,
    summary: 'What the text beside structured content over MCP is for a buyer.',
    fields: { form: required(oneOf(['summary', 'json'], 'json: for clients that parse the text')) },
    run: async (context, { tenantId, params, values: { form } }) => ({
      buyer: params.buyer,
      answer_text: await setAnswerText(context, { tenantId, principalId: params.buyer, form }),
    }),
  }),
  operation('PUT /buyers/{buyer}/billing', 'setBuyerBilling', {
    roles: ADMINISTRATORS,
    summary: 'Whom the accounts of a buyer may name as billed.',
    fields: { parties: texts('of operator, agent, advertiser; absent: all that the publisher accepts') },
    async run(context, { tenantId, params, values: { parties } }) {
      const billing = await setBilling(context, { tenantId, principalId: params.buyer, billing: parties ?? 'all' })
      return { buyer: params.buyer, billing: billing ?? 'all' }
    },
  }),
  operation('PUT /buyers/{buyer}/signing-keys', 'addBuyerSigningKeys', {
    roles: ADMINISTRATORS,
    summary: 'Registers where the public keys of a buyer that signs are; makes the buyer when it is new.',
    fields: {
      url: text('the agent’s own address, for a new buyer'),
      jwks: object('its public keys as a JWKS document'),
      jwks_uri: text('the address of its JWKS'),
      brand_domain: text('the domain whose /.well-known/brand.json lists the agent'),
      discover: flag('ask the agent itself for its brand.json'),
      scopes: SCOPES,
      signing_required: flag('a new buyer may change nothing unsigned'),
    },
    async run(context, { tenantId, params, values }) {
      const { url, jwks, jwks_uri: jwksUri, brand_domain: brandDomain, discover, scopes } = values
      const place = { jwks: jwks && { document: jwks, name: 'jwks' }, jwksUri, brandDomain, discover }
      const buyer = { tenantId, principalId: params.buyer, url, scopes, signingRequired: values.signing_required ?? false }
      const { agentUrl, kind } = await addAgent(context, { ...buyer, ...place })
      return { buyer: params.buyer, agent_url: agentUrl, kind }
    },
  }),
  operation('DELETE /buyers/{buyer}/signing-keys', 'removeBuyerSigningKeys', {
    roles: ADMINISTRATORS,
    summary: 'Forgets the public keys of a buyer.',
    fields: {},
    async run(context, { tenantId, params }) {
      await removeAgent(context, { tenantId, principalId: params.buyer })
      return { buyer: params.buyer, removed: true }
    },
  }),
]

export const keyOperations: readonly AdminOperation[] = [
  operation('GET /keys', 'listKeys', {
    roles: ADMINISTRATORS,
    summary: 'Keys of buyers by prefix and last four characters.',
    fields: { buyer: text('of one buyer') },
    run: async (context, { tenantId, values }) => list(await listKeys(context, { tenantId, principalId: values.buyer })),
  }),
  operation('POST /keys', 'createKey', {
    roles: ADMINISTRATORS,
    summary: 'Makes a key for a buyer; the token is in this answer and nowhere else.',
    fields: { buyer: required(text('its id')), scopes: SCOPES, expires: EXPIRES },
    run: (context, { tenantId, values: { buyer: principalId, ...key } }) => createKey(context, { tenantId, principalId, ...key }),
  }),
  operation('POST /keys/{key}/rotate', 'rotateKey', {
    roles: ADMINISTRATORS,
    summary: 'Makes the successor of a key; the old one works until the overlap ends.',
    fields: { overlap: text('how long both work; default: 24h'), expires: EXPIRES },
    run: (context, { tenantId, params, values: { overlap = '24h', expires } }) =>
      rotateKey(context, { tenantId, keyId: params.key, overlap, expires }),
  }),
  operation('POST /keys/{key}/revoke', 'revokeKey', {
    roles: ADMINISTRATORS,
    summary: 'Ends a key now.',
    fields: {},
    async run(context, { tenantId, params }) {
      const revokedAt = await revokeKey(context, { tenantId, keyId: params.key })
      return { key_id: params.key, revoked_at: revokedAt.toISOString() }
    },
  }),
]
