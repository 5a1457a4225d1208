/** Where the private key of a publisher's router may be opened. */
export function matchKeyPlace(tenantId: string, kid: string): string {
  return `match-key/${tenantId}/${kid}`
}

/** Where the rest of the address may be opened that packages are synced to. */
export function syncAddressPlace(tenantId: string, providerId: string): string {
  return `match-sync-address/${tenantId}/${providerId}`
}

/** Where the key may be opened that packages are synced to a provider with. */
export function syncKeyPlace(tenantId: string, providerId: string): string {
  return `match-sync/${tenantId}/${providerId}`
}
