import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))

/** What changes something and is logged without the road of acts, and why. */
const BESIDE_THE_ROAD: Readonly<Record<string, readonly [acts: readonly string[], reason: string]>> = {
  'init/initialise.ts': [['init'], 'makes the store, before anybody has a role'],
  'secrets/retire-secret.ts': [['secrets.retire'], 'changes the file of the secret on this machine'],
  'secrets/rotate-secret.ts': [['secrets.rotate'], 'changes the file of the secret on this machine'],
  'directory/mirrors.ts': [['directory.mirror.import'], 'reads a file of millions of rows from the disk'],
  'directory/change-crawl-list.ts': [['directory.add'], 'a crawl puts the names that it is asked for on the list'],
  'people/accept-invitation.ts': [['people.join'], 'done by who is nobody yet: the link is the right to do it'],
  'people/invite-person.ts': [['people.invite-everywhere'], 'the first administrator, while there is nobody who may invite'],
  'people/sign-in.ts': [['people.sign-in', 'people.sign-out'], 'done by who has no role yet, or in no publisher'],
  'people/manage-people.ts': [['people.password'], 'changes the own account, of no publisher; guesses are slowed down'],
}

it('what is logged beside the road of acts is listed', () => {
  const found = sources.flatMap(({ path, text }) => {
    const calls = [...text.matchAll(/(?<!function )\bauditedStore\(/g)].length
    return calls === 0 || path === 'operator/perform.ts' ? [] : [[path.replace('operator/', ''), calls] as const]
  })
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(BESIDE_THE_ROAD).map(([path, [acts]]) => [path, acts.length])),
  )
  const unnamed = Object.entries(BESIDE_THE_ROAD).flatMap(([path, [acts]]) => {
    const text = sources.find((each) => each.path === `operator/${path}`)?.text ?? ''
    return acts.flatMap((act) => (text.includes(`'${act}'`) ? [] : [`${path}: ${act}`]))
  })
  expect(unnamed).toEqual([])
})

/** Files of several acts, by why they are easier to find together. Any other act is alone in its file. */
const TOGETHER: Readonly<Record<string, string>> = {
  'one thing, with what is done to it': `
    accounts/account-money.ts
    accounts/grant-account.ts
    ad-servers/setting-acts.ts
    adopted-orders/adopt-order.ts
    ad-servers/sheet-acts.ts
    adagents/adagents-acts.ts
    approvals/approval-policy.ts
    billing/charges.ts
    billing/invoice-payments.ts
    billing/invoicing-details.ts
    brands/import-brands.ts
    buyers/change-buyer.ts
    buyers/signing-keys.ts
    certificates/pin-certificate.ts
    changes/change-subscribers.ts
    creatives/creative-rules.ts
    direct-orders/direct-orders.ts
    directory/crawled-publisher.ts
    directory/feed-subscribers.ts
    directory/mirrors.ts
    formats/import-formats.ts
    identity/signing-keys.ts
    jwt-issuers/trust-issuer.ts
    make-goods/make-good-policy.ts
    notifications/channel-acts.ts
    notifications/own-channels.ts
    oauth/oauth-grants.ts
    oauth/tenant-grants.ts
    orders/note-order.ts
    order-terms/order-terms.ts
    people/manage-people.ts
    placements/manage-placements.ts
    products/import-products.ts
    registry/manage-registry.ts
    reports/saved-reports.ts
    reports/schedule-reports.ts
    signals/import-signals.ts
    trusted-match/key-acts.ts
    trusted-match/provider-acts.ts
    users/manage-users.ts`,
  'one decision, or one change, with its other directions': `
    approvals/decide-approval.ts
    creatives/decide-creative.ts
    direct-orders/enter-direct-order.ts
    directory/change-crawl-list.ts
    governance/decide-escalation.ts
    make-goods/offer-make-good.ts
    orders/change-order.ts
    products/change-product.ts
    rights/decide-rights.ts`,
  'a list, and one of it whole': `
    approvals/list-approvals.ts
    billing/show-invoices.ts
    governance/show-escalations.ts
    orders/show-order.ts
    products/list-products.ts
    rights/list-rights.ts`,
  'the same of a publisher and of the deployment, or of a buyer': `
    admin-keys/admin-keys.ts
    audit/audit-acts.ts
    buyers/watch-calls.ts
    keys/revoke-key.ts
    people/invite-person.ts
    tenants/tenant-acts.ts`,
  'what one system is asked': `
    ad-servers/connection-acts.ts
    ad-servers/inventory-acts.ts
    ad-servers/order-acts.ts
    directory/show-crawl-list.ts
    doctor/doctor-acts.ts`,
}

it('an act has a file of its own, or shares one for a reason that is listed', () => {
  const several = sources.flatMap(({ path, text }) => {
    const acts = [...text.matchAll(/\bdefine(?:Person)?Act\(\{/g)].length
    return acts > 1 ? [path.replace('operator/', '')] : []
  })
  expect(several.toSorted()).toEqual(
    Object.values(TOGETHER)
      .flatMap((paths) => paths.trim().split(/\s+/))
      .toSorted(),
  )
})
