import type { Command } from 'commander'
import { adServerActs } from '../operator/ad-servers/acts.ts'
import { type OrderRecords, showOrderRecords } from '../operator/orders/order-records.ts'
import { list } from '../operator/shape.ts'
import { actsCommand, addAct } from './act-command.ts'
import { table } from './output.ts'

/** `sales-agent adservers`: the acts of ad servers, and `errors`, a part of the records of an order. */
export function adserversCommand(): Command {
  const group = actsCommand('adservers', adServerActs)
  const help = 'show what video players could not play of an order, by VAST error code'
  const json = ({ errors }: OrderRecords) => list(errors)
  addAct(group, { ...showOrderRecords, command: { words: 'adservers errors', help, json, text: errorTable } })
  return group
}

function errorTable({ errors }: OrderRecords): readonly string[] {
  const cells = errors.map((row) => [row.code, row.meaning, row.package_id, row.creative_id, String(row.errors)])
  return table(['CODE', 'MEANING', 'PACKAGE', 'CREATIVE', 'ERRORS'], cells)
}
