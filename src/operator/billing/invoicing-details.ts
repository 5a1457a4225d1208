import { findInvoicing, saveInvoicing } from '../../store/billing/invoicing.ts'
import { defineAct } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { ACCOUNTANTS, READERS } from '../roles.ts'
import { table } from '../text-table.ts'
import { INVOICING_FIELDS, type InvoicingDetails, invoicingShape, presentInvoicing } from './invoicing-fields.ts'
import { readInvoicing } from './read-invoicing.ts'

// Several acts in one file: they list, change and remove the same thing.

export const showInvoicing = defineAct({
  name: 'billing.details',
  route: 'GET /billing/details',
  id: 'showInvoicing',
  roles: READERS,
  summary: 'What invoices say of the publisher: its name, address, numbers, bank, payment terms and tax rules.',
  fields: {},
  answer: invoicingShape,
  command: { text: detailLines },
  async run({ store, tenantId }) {
    return presentInvoicing(await findInvoicing(store.read, tenantId))
  },
})

/** Throws INVALID_REQUEST, naming the member, for what is no country, VAT number, IBAN, BIC or tax rule. */
export const setInvoicing = defineAct({
  name: 'billing.set-details',
  route: 'PATCH /billing/details',
  id: 'setInvoicing',
  roles: ACCOUNTANTS,
  summary:
    'Changes what invoices say of the publisher from now on; an empty text takes a member away. Invoices that are written stay as they are.',
  fields: INVOICING_FIELDS,
  answer: invoicingShape,
  command: { text: detailLines },
  async run({ store, tenantId, clock, noteAllChanges }, values) {
    return store.transaction(async (tx) => {
      const before = presentInvoicing(await findInvoicing(tx, tenantId))
      const changed = readInvoicing(before, values)
      await saveInvoicing(tx, tenantId, changed, clock())
      const after = presentInvoicing(changed)
      noteAllChanges(changedMembers(before, after))
      return after
    })
  },
})

function detailLines(details: InvoicingDetails): readonly string[] {
  const rows = Object.entries(details).map(([name, value]) => [
    name.replaceAll('_', ' '),
    Array.isArray(value) ? value.join('; ') : String(value ?? ''),
  ])
  return table(['DETAIL', 'VALUE'], rows)
}
