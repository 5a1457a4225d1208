import { ACTS } from '../../src/operator/acts.ts'

const MAKES = 'makes something new: the act and its subject say it'
const ENDS = 'takes away as a whole: the act and its subject say it'
export const PARTS = 'carries out other acts, which the log has in its place'
const DOES = 'does something once; nothing that people set is another afterwards'

/** Its removal is a change to the rule that then holds, which the log names. */
const SAYS_OLD_VALUE = 'creatives.remove-rule'

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
    ...ACTS.filter(({ method, watch, name }) => method === 'DELETE' && !watch && name !== SAYS_OLD_VALUE).map(({ name }) => name),
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
