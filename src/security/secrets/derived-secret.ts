import { createHmac, hkdfSync } from 'node:crypto'

/**
 * Makes secrets that need not be stored: each follows from the deployment's secret and its name, and says nothing of any other (HKDF-SHA256, RFC
 * 5869, then HMAC-SHA256). 43 characters of base64url.
 */
export function createDerivedSecrets(secret: string, purpose: string): (name: string) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `adcp-sales-agent/${purpose}/v1`, 32))
  return (name) => createHmac('sha256', key).update(name).digest('base64url')
}
