import { AdcpError } from '../../protocol/errors.ts'
import { findCheckFiles } from '../../store/seller-check/seller-checks.ts'
import { defineAct } from '../act.ts'
import { day, required } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, documentOf, object, string } from '../shape.ts'
import type { SellersDocument } from './check-document.ts'

const PERIOD = required(day('first day of what the check is for, as checks list names it, e.g. 2026-11-23'))

/** Throws REFERENCE_NOT_FOUND. */
export const showOwnCheck = defineAct({
  name: 'checks.show',
  route: 'GET /checks/{period}',
  id: 'showOwnCheck',
  roles: READERS,
  summary: 'A check of this agent by itself, as it was signed: every promise with its calls, and why it was not held.',
  fields: { period: PERIOD },
  answer: object({
    report: documentOf<SellersDocument>('the signed report'),
    signature: about('detached JWS (RFC 7515, appendix F) over the text of the report as it is published', string),
    public_key: documentOf<object>('the key that verifies it (RFC 7517), which /.well-known/jwks.json has too'),
  }),
  command: {
    args: ['period'],
    text: ({ report }) =>
      report.sellers.flatMap(({ checks }) =>
        checks.map(({ outcome, title, because }) => `${outcome}: ${title}${because === undefined ? '' : ` (${because})`}`),
      ),
  },
  async run({ store }, { period }) {
    const files = await findCheckFiles(store.read, period)
    if (!files)
      throw new AdcpError('REFERENCE_NOT_FOUND', `no check of ${period}; sales-agent checks list names those that there are`, {
        field: 'period',
      })
    return { report: JSON.parse(files.report), signature: files.signature, public_key: JSON.parse(files.publicKey) }
  },
})
