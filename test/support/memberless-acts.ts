import { ACTS } from '../../src/operator/acts.ts'

// What comes and what goes is in the log with all its members, which acts-write.test.ts asks of each.
const MAKES = 'makes something new'
const ENDS = 'takes away as a whole'
export const PARTS = 'carries out other acts, which the log has in its place'
const DOES = 'does something once; nothing that people set is another afterwards'

/** Acts with DELETE after which something is there still, with other values. */
const LEAVE_THE_REST: readonly string[] = [
  'creatives.remove-rule',
  'users.disallow',
  'directory.remove',
  'products.remove-season',
]

/** Acts that change no member of something that was there, and why. */
export const NOT_PLAYED: Readonly<Record<string, readonly string[]>> = {
  [MAKES]: [
    'adopted-orders.adopt',
    'orders.note',
    'creatives.preview-link',
    'accounts.payment',
    'billing.add-charge',
    'billing.credit',
    'billing.record-payment',
    'billing.record-refund',
    'billing.close',
    'make-goods.offer',
    'make-goods.credit',
    'buyers.add',
    'keys.create',
    'keys.revoke-signing',
    'admin-keys.create',
    'admin-keys.create-for',
    'users.add',
    'certificates.pin',
    'people.invite',
    'people.invite-everywhere',
    'tenants.add',
    'changes.subscribe',
    'trusted-match.add-provider',
    'trusted-match.rotate-key',
    'directory.add',
    'directory.join',
    'directory.subscribe',
    'registry.add',
    'governance.revoke',
    'adservers.add',
    'adservers.save-drafts',
    'identity.init',
    'identity.rotate',
    'oauth.rotate-key',
  ],
  [ENDS]: [
    ...ACTS.filter(({ method, name }) => method === 'DELETE' && !LEAVE_THE_REST.includes(name)).map(({ name }) => name),
    'creatives.purge',
    'accounts.take-back-payment',
    'billing.take-back-charge',
    'billing.take-back-payment',
    'billing.take-back-refund',
    'oauth.end-grant',
    'privacy.erase',
    'sessions.erase',
  ],
  [PARTS]: ['approvals.decide-several', 'orders.change-several', 'products.change-several'],
  [DOES]: [
    'delivery.rebuild',
    'notifications.test',
    'changes.test',
    'webhooks.redeliver',
    'adservers.test',
    'adservers.sync',
    'adservers.import',
    'adservers.report',
  ],
}
