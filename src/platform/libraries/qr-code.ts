export { generate } from 'lean-qr'
export { toSvgSource } from 'lean-qr/extras/svg'
