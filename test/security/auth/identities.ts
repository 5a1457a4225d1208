import type { Identity } from '../../../src/domain/identity/identity.ts'
import type { TransportCredentials } from '../../../src/security/auth/transport-credentials.ts'

/** An active principal of a tenant. */
export function identity(principalId: string, tenantId = 'acme', scopes: readonly string[] = ['adcp:*']): Identity {
  return {
    tenant: {
      tenantId,
      name: tenantId,
      domain: `${tenantId}.example`,
      isPublicDefault: false,
      productsRevision: 0,
      settings: {},
    },
    principal: {
      tenantId,
      principalId,
      name: principalId,
      agentUrl: `https://${principalId}.example.com/mcp`,
      sandbox: false,
      scopes,
      signingRequired: false,
      mechanism: 'bearer',
      credentialId: '',
    },
  }
}

/** What a transport hands over when only these things were sent. */
export function transport(parts: Partial<TransportCredentials>): TransportCredentials {
  const authorization = parts.authorization
  return {
    authorization,
    rawHeaders: authorization === undefined ? [] : ['Authorization', authorization],
    method: 'POST',
    target: '/mcp',
    body: undefined,
    remoteAddress: '127.0.0.1',
    ...parts,
  }
}

/** `Authorization` value of a user and password. */
export function basicHeader(pair: string | Buffer): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
