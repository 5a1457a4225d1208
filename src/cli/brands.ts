import type { Command } from 'commander'
import { brandActs } from '../operator/brands/acts.ts'
import { actsCommand } from './act-command.ts'
import { askBrandCommand } from './ask-brand.ts'

/** `sales-agent brands import|export|list|ask`. */
export function brandsCommand(): Command {
  return actsCommand('brands', brandActs).addCommand(askBrandCommand())
}
