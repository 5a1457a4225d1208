export { readSheet } from 'read-excel-file/node'
