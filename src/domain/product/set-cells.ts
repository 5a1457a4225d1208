import { asJson, type CellReader, type CsvRow, cellText, type Json, place, readCell, valueAt } from './csv-cells.ts'
import { COLUMNS, type Column } from './csv-columns.ts'

/** Sets the cells of a scope; an empty one takes its value away. A cell that says what is there already changes nothing: some values do not fit a cell. */
export function setCells(target: Json, row: CsvRow, scope: Column['scope'], reader: CellReader): void {
  for (const column of COLUMNS) {
    const cell = row.cells[column.name]
    if (cell === undefined || column.scope !== scope || column.kind === 'json') continue
    if (cell === (cellText(valueAt(target, column.at), column) ?? '')) continue
    if (cell === '') remove(target, column.at)
    else {
      const value = readCell(row, column, reader)
      if (value !== undefined) place(target, column.at, value)
    }
  }
}

/** Removes what is at a path of members, and what is empty without it. */
function remove(target: Json, [member = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    delete target[member]
    return
  }
  const held = target[member]
  const isList = rest[0] === '0'
  const child = asJson(isList && Array.isArray(held) ? held[0] : held)
  remove(child, isList ? rest.slice(1) : rest)
  const others: readonly unknown[] = isList && Array.isArray(held) ? held.slice(1) : []
  const isEmpty = Object.keys(child).length === 0
  if (isEmpty && others.length === 0) delete target[member]
  else if (isList) target[member] = isEmpty ? others : [child, ...others]
  else target[member] = child
}
