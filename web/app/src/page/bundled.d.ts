// The build puts what a worker runs into the page as text: `../../bundle.mjs`.
declare module "text:*" {
  const script: string;
  export default script;
}
