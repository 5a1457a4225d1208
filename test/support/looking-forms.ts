/** Routes of forms of the console that look for what they are about, or read what is sent, before they reach their act: one of nothing that exists reaches none. */
export const LOOKING_FORMS: readonly string[] = [
  '/t/{tenant}/orders/{id}/terms',
  '/t/{tenant}/settings/expiry',
  '/t/{tenant}/buyers/{id}/creative-rules',
  '/t/{tenant}/accounts/{id}/status',
  '/t/{tenant}/accounts/{id}/credit',
  '/t/{tenant}/billing/details',
  '/t/{tenant}/reports/saved',
  '/t/{tenant}/settings/publisher',
  '/t/{tenant}/products/import',
  '/t/{tenant}/products/new',
  '/t/{tenant}/products/{id}/edit',
  '/t/{tenant}/products/{id}/price',
  '/t/{tenant}/placements/{id}/edit',
  '/t/{tenant}/direct-orders/{order}/edit',
  '/t/{tenant}/direct-orders/{order}/{state}',
  '/t/{tenant}/reports/shortfalls/policy',
]

/** The same of forms of ad servers that are networks. */
export const FORMS_OF_NETWORKS: readonly string[] = [
  '/t/{tenant}/settings/connect-network',
  '/t/{tenant}/settings/ad-servers/{name}/drafts',
]
